import type { Server } from 'node:http';
import { CannotStart } from '../../../shared/process/cannot-start.ts';

/**
 * Listens, or says in one sentence why that cannot be.
 * @param port 0 takes any free one
 * @throws CannotStart
 */
export async function listen(server: Server, host: string, port: number): Promise<void> {
	await new Promise<void>((resolve, reject) => {
		server.once('error', reject);
		server.listen(port, host, () => {
			server.off('error', reject);
			resolve();
		});
	}).catch((error: NodeJS.ErrnoException) => {
		throw new CannotStart(sentence(error, host, port));
	});
}

function sentence(error: NodeJS.ErrnoException, host: string, port: number): string {
	if (error.code === 'EADDRINUSE') return `PORT ${port} is in use; choose another one, or 0 for any free one.`;
	if (error.code === 'EACCES')
		return `PORT ${port} needs a privilege that this process does not have; choose one above 1023.`;
	return `Cannot listen on HOST ${host}, PORT ${port}: ${error.code ?? error.message}.`;
}
