// Runs in the browser, after the renderer. Nothing here may ask another host: no fonts, no proxy, no telemetry, and no
// assistants, which would send the document away.
globalThis.Scalar.createApiReference('#reference', {
	url: '/openapi.json',
	baseServerURL: globalThis.location.origin,
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
	// A chapter that the address names is focused by script, not by the keyboard: no frame around it.
	customCss: '.section:focus-visible { outline: none }',
	defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
});
