import { stripTypeScriptTypes } from 'node:module';

/** Jest's transform: Node's own type stripping, so that the tests run the code exactly as production does. */
export default {
	process: (source, file) => ({ code: stripTypeScriptTypes(source, { mode: 'strip', sourceUrl: file }) }),
};
