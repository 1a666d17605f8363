import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { useGet } from '../api/resource.ts';
import type { CustomerList } from '../api/shapes.ts';
import { Button } from '../parts/button.tsx';
import { Field } from '../parts/field.tsx';
import { Empty, Shown } from '../parts/notices.tsx';
import { Pager, ROWS } from '../parts/pager.tsx';
import { Badge } from '../parts/status.tsx';
import { href } from '../route.ts';
import { shortDate } from '../times.ts';
import { EraseDialog } from './erase-dialog.tsx';
import { exportPerson } from './export-person.ts';
import { type Person, personIn } from './person.ts';

/** Whom bookings are for: found by address or number, exported, erased */
export function CustomersPage(): VNode {
	const [text, setText] = useState('');
	const [sought, setSought] = useState<Person>();
	const [isUnclear, setUnclear] = useState(false);
	const [isErasing, setErasing] = useState(false);
	const [page, setPage] = useState(1);
	const list = useGet<CustomerList>('/v1/customers', { ...sought, page, page_size: ROWS });
	const find = (event: Event) => {
		event.preventDefault();
		const person = personIn(text);
		setUnclear(text.trim() !== '' && person === undefined);
		setSought(person);
		setPage(1);
	};
	const name = sought?.email ?? sought?.phone;
	return (
		<section class="page">
			<header class="page-head">
				<h1>Customers</h1>
			</header>
			<search>
				<form class="toolbar" onSubmit={find}>
					<Field
						label="E-mail address or telephone number"
						value={text}
						placeholder="ada@example.com or +4930123456"
						autocomplete="off"
						onValue={setText}
					/>
					<Button type="submit">Find</Button>
				</form>
			</search>
			{isUnclear && (
				<p class="failure" role="alert">
					A person is found by a whole e-mail address, or by a telephone number that begins with + and the country.
				</p>
			)}
			{sought && (
				<section class="card person" aria-label="The person">
					<h2>{name}</h2>
					<div class="actions">
						<Button onPress={() => exportPerson(sought)}>Export all that is kept</Button>
						<Button kind="danger" writes onPress={() => setErasing(true)}>
							Erase…
						</Button>
					</div>
				</section>
			)}
			<Shown of={list}>
				{({ customers, pagination }) =>
					customers.length === 0 && page === 1 ? (
						<Empty title={sought ? 'Nobody is known by this' : 'Nobody has booked yet'} />
					) : (
						<>
							<div class="table-box">
								<table class="table">
									<caption class="hidden">Customers, one row a booking</caption>
									<thead>
										<tr>
											<th scope="col">Name</th>
											<th scope="col">E-mail</th>
											<th scope="col">Telephone</th>
											<th scope="col">Booking</th>
											<th scope="col">Status</th>
										</tr>
									</thead>
									<tbody>
										{customers.map(({ id, name, email, phone, booking_id, service_id, date, status }) => (
											<tr key={id}>
												<td>{name}</td>
												<td>{email}</td>
												<td>{phone}</td>
												<td>
													<a href={href('calendar', { service: service_id, booking: booking_id, date })}>
														{shortDate(date)}
													</a>
												</td>
												<td>
													<Badge kind={status}>{status}</Badge>
												</td>
											</tr>
										))}
									</tbody>
								</table>
							</div>
							<Pager what="customers" pagination={pagination} onPage={setPage} />
						</>
					)
				}
			</Shown>
			{isErasing && sought && <EraseDialog person={sought} onClose={() => setErasing(false)} />}
		</section>
	);
}
