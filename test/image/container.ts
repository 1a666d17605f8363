import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import type { Image } from './root-file-system.ts';

/**
 * Mounts the root read-only, the volume writable, `/proc` and two devices; then becomes the image's user, without any
 * capability and without a way to get one (of those that chroot needs the bound stays, which means nothing with
 * no-new-privs). The mounts go with the process.
 */
const ENTER = `
set -e
root=$1 user=$2 workdir=$3; shift 3
mount --make-rprivate /
mount --bind "$root" "$root"
mount --bind "$root.data" "$root/data"
mount -t tmpfs -o size=64k,mode=755 none "$root/dev"
for device in null urandom; do : >"$root/dev/$device"; mount --bind "/dev/$device" "$root/dev/$device"; done
mount -t proc none "$root/proc"
mount -o remount,ro,bind "$root"
exec setpriv --no-new-privs --inh-caps=-all --bounding-set=-all,+sys_chroot,+setuid,+setgid \\
	chroot --userspec="$user:$user" --groups= "$root" /usr/local/bin/node --disable-warning=ExperimentalWarning -e '
		process.chdir(process.argv[1]);
		process.execve(process.execPath, [process.execPath, ...process.argv.slice(2)]);
	' "$workdir" "$@"
`;

/** Runs a command of the image as a container would; it must be one of Node's. */
export function start(image: Image, command: string[], environment: Record<string, string>): ChildProcess {
	const [file, args, options] = invocation(image, command, environment);
	return spawn(file, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** The same, to its end. @returns what it printed @throws where it ends with another code than 0 */
export function run(image: Image, command: string[], environment: Record<string, string>): string {
	const [file, args, options] = invocation(image, command, environment);
	return execFileSync(file, args, { ...options, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

function invocation(image: Image, command: string[], environment: Record<string, string>) {
	const [program, ...rest] = command;
	if (program !== 'node') throw new Error(`the image runs ${program}, and not node`);
	const args = ['--mount', 'sh', '-c', ENTER, 'sh', image.root, String(image.user), image.workdir, ...rest];
	const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', ...image.environment, ...environment };
	return ['unshare', args, { env }] as const;
}
