/**
 * What is made once for each thing that uses it, such as a run, when it is first asked for; it is forgotten with that. n8n's
 * own record of a run is saved as JSON, and can hold no promise.
 */
export function keptFor<User extends object, Value>(make: (user: User) => Value): (user: User) => Value {
	const kept = new WeakMap<User, { value: Value }>();
	return (user) => {
		const { value } = kept.get(user) ?? { value: make(user) };
		kept.set(user, { value });
		return value;
	};
}
