import { expect, test } from '@jest/globals';
import { commands } from '../../ops/commands.ts';
import { parseCommand } from '../../ops/line/parse-command.ts';
import { splitLine } from '../../ops/line/repl-line.ts';
import { readYaml } from '../k8s/manifests.ts';
import { read } from './sources.ts';

const pages = read('docs/operations.md') + read('docs/deployment.md');
/** What follows the program, up to the end of the line or of the code */
const typed = [...pages.matchAll(/node \/(?:app|opt\/slotwise)\/ops\/main\.ts ([a-z][^`\n]*)/g)].map(
	([, line]) => line!,
);

test.each(typed)('In a container or a unit, `%s` is a command', (line) => {
	const words = splitLine(line.replace(/ > .*$/, '').replaceAll('_…', '_demo'))!;
	expect(parseCommand(commands, words)).toHaveProperty('command');
});

test('Containers and Deployments that commands are run in are there', () => {
	expect(typed.length).toBeGreaterThan(10);
	const { services } = readYaml('docker-compose.yml')[0]!;
	const composed = [...pages.matchAll(/docker compose exec (?:-T )?(\w+) node/g)].map(([, name]) => name!);
	expect(new Set(composed)).toEqual(new Set(['booking']));
	expect(services).toHaveProperty('booking');
	const deployed = [...pages.matchAll(/exec deployment\/(\w+) -- node/g)].map(([, name]) => name!);
	for (const name of new Set(deployed)) expect(readYaml(`k8s/base/${name}.yaml`)[0]!.metadata.name).toBe(name);
	const named = /docker run --name (\w+) /.exec(pages)![1];
	const asked = [...pages.matchAll(/docker exec (?:--env \w+=\S+ )*(\w+) node/g)].map(([, name]) => name);
	expect(new Set(asked)).toEqual(new Set([named]));
});
