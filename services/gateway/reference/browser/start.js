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
	defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
});
