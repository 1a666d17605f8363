// Runs in the browser, after the renderer. Nothing here may ask another host: no fonts, no proxy, no telemetry, and no
// assistants, which would send the document away.
const { origin } = globalThis.location;
const document = await (await fetch('/openapi.json')).json();

globalThis.Scalar.createApiReference('#reference', {
	content: asServedHere(document),
	baseServerURL: origin,
	telemetry: false,
	withDefaultFonts: false,
	agent: { disabled: true },
	mcp: { disabled: true },
	hideClientButton: true,
	showDeveloperTools: 'never',
	documentDownloadType: 'json',
	authentication: { preferredSecurityScheme: 'ApiKeyAuth' },
	// The key stays in the page's memory.
	persistAuth: false,
	defaultOpenFirstTag: true, // which is the group of all operations: their subjects are seen, each of them closed
	defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
	// What the renderer calls client libraries is the languages of its snippets; there is one way to authenticate.
	localization: {
		locale: 'en',
		translations: {
			clientLibraries: { heading: 'Snippets in' },
			apiClient: { authSelector: { selectedType: 'API key' } },
		},
	},
});
mendNames();
leadKeyboard();

/** The document with this host in the commands of its guides, and with its operations under a heading, behind the guides. */
function asServedHere({ info, tags, ...rest }) {
	return {
		...rest,
		info: { ...info, description: info.description.replaceAll('http://127.0.0.1:3000', origin) },
		tags,
		'x-tagGroups': [{ name: 'Operations', tags: tags.map(({ name }) => name) }],
	};
}

/** What the renderer draws without a name, or with one that another has: told to screen readers here, whenever it appears. */
function mendNames() {
	const { body } = globalThis.document;
	const mend = () => {
		for (const field of body.querySelectorAll('[role=combobox]:not([aria-expanded])')) field.ariaExpanded = 'true';
		for (const card of body.querySelectorAll('.response-card[aria-labelledby]')) {
			card.removeAttribute('aria-labelledby'); // its status codes, which are those of many
			card.ariaLabel = `Example responses: ${card.closest('section')?.querySelector('h3')?.textContent}`;
		}
	};
	new MutationObserver(mend).observe(body, { childList: true, subtree: true });
	mend();
}

/**
 * Who goes somewhere with the keyboard, by the search or by a link, is there: the renderer scrolls, but leaves the focus
 * behind, half a hundred Tabs away.
 */
function leadKeyboard() {
	const { body } = globalThis.document;
	let keys = 0;
	body.addEventListener(
		'keydown',
		({ key, target }) => {
			keys++;
			if (key !== 'Enter') return;
			const option = target.getAttribute('aria-activedescendant')?.replace('search-result-', '');
			const link = target.closest('.t-doc__sidebar a')?.hash.replace('#', 'api-1/');
			const id = option ?? (link && decodeURI(link));
			if (id) focusWhenThere(id, keys, 100);
		},
		{ capture: true },
	);
	const focusWhenThere = (id, key, tries) => {
		if (key !== keys) return; // who has pressed another since is on the way to somewhere else
		const place = globalThis.document.getElementById(id);
		const heading = place?.matches('h1, h2, h3') ? place : place?.querySelector('h1, h2, h3');
		if (tries === 0 || heading?.matches(':focus')) return;
		setTimeout(focusWhenThere, 50, id, key, tries - 1);
		if (!heading || body.querySelector('[role=dialog]')) return; // the dialog gives the focus back when it closes
		heading.tabIndex = -1;
		heading.focus({ preventScroll: true });
		place.scrollIntoView();
	};
}
