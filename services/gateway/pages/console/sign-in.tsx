import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Usage } from '../../../../shared/contract/schemas/usage.ts';
import { ask } from './api/client.ts';
import { NoAnswer, Refusal } from './api/failures.ts';
import { farewell, session } from './api/session.ts';
import { Button } from './parts/button.tsx';
import { Field } from './parts/field.tsx';
import { Mark } from './parts/icons.tsx';
import { dismissAll, Failure } from './parts/notices.tsx';

export function SignIn(): VNode {
	const [key, setKey] = useState('');
	const [failure, setFailure] = useState<Error>();
	const [isBusy, setBusy] = useState(false);
	const form = useRef<HTMLFormElement>(null);
	useEffect(() => form.current!.querySelector('input')!.focus(), []);
	const signIn = async (event: Event) => {
		event.preventDefault();
		if (isBusy) return;
		setBusy(true);
		setFailure(undefined);
		try {
			const given = key.trim();
			const { scopes, package: plan } = await ask<Usage>('GET', '/v1/usage', {}, undefined, given);
			dismissAll();
			farewell.value = undefined;
			session.value = { key: given, scopes, plan };
		} catch (error) {
			setFailure(inWords(error as Error));
			setBusy(false);
		}
	};
	return (
		<main class="sign-in">
			<form ref={form} onSubmit={(event) => void signIn(event)} autocomplete="off">
				<Mark />
				<h1>Sign in to Slotwise</h1>
				<p class="lead">
					With an API key of your account: the first start of Slotwise prints one. A key that only reads is enough to
					look around.
				</p>
				{farewell.value && <p class="farewell">{farewell.value}</p>}
				<Field
					label="API key"
					type="password"
					value={key}
					required
					placeholder="slw_…"
					autocomplete="off"
					spellcheck={false}
					onValue={setKey}
				/>
				<Failure error={failure} />
				<Button type="submit" kind="main" disabled={key.trim() === ''}>
					{isBusy ? 'One moment…' : 'Sign in'}
				</Button>
				<p class="hint">
					The key stays in the memory of this tab: closing or reloading it signs you out.{' '}
					<a href="/docs">API reference</a>
				</p>
			</form>
		</main>
	);
}

function inWords(error: Error): Error {
	if (error instanceof NoAnswer) return new Error('The gateway does not answer. Try again in a moment.');
	if (error instanceof Refusal && error.status === 401) return new Error('This is not a valid key.');
	if (error instanceof TypeError) return new Error('This is not a valid key.');
	return error;
}
