/**
 * Node's `http`. An `import` of it would read each of its exports, and one of them loads Node's whole `fetch`: 40 ms of
 * every start, for nothing that is used here.
 */
export const http = process.getBuiltinModule('node:http');
