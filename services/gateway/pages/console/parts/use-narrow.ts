import { useEffect, useState } from 'preact/hooks';

const query = matchMedia('(max-width: 760px)');

/** Whether the screen is one of a telephone */
export function useNarrow(): boolean {
	const [isNarrow, setNarrow] = useState(query.matches);
	useEffect(() => {
		const look = () => setNarrow(query.matches);
		query.addEventListener('change', look);
		return () => query.removeEventListener('change', look);
	}, []);
	return isNarrow;
}
