import { serveTasks } from '../forked.ts';
import { type ClosedLoad, closedLoop } from './closed-loop.ts';
import { type OpenLoad, openLoop } from './open-loop.ts';

/** The process that sends the load: what is measured must not wait for who measures it. */
export type LoadTask = ({ model: 'closed' } & ClosedLoad) | ({ model: 'open' } & OpenLoad);

serveTasks<LoadTask>(undefined, (task) => (task.model === 'closed' ? closedLoop(task) : openLoop(task)));
