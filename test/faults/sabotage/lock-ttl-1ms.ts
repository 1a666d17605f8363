import { Redis } from 'ioredis';

/**
 * Loaded into a process of the product before its own code: every lease that it asks Redis for ends after 1 ms, while
 * the process believes that it has the usual time.
 */
const send = Redis.prototype.sendCommand;
const SCRIPT_ARGUMENTS = 8; // script, number of keys, holder, queue, token, lease, channels, place

Redis.prototype.sendCommand = function sendCommand(command, ...rest) {
	const isLock = /^eval/i.test(command.name) && command.args.length === SCRIPT_ARGUMENTS;
	if (isLock && String(command.args[2]).includes(':lock:')) command.args[5] = '1';
	return send.call(this, command, ...rest);
};
