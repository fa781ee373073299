/**
 * A cache per owner, such as a run: creates each value on first use and drops it with its owner. n8n's own
 * data of a run is saved as JSON and cannot hold promises.
 */
export function keptFor<User extends object, Value>(make: (user: User) => Value): (user: User) => Value {
	const kept = new WeakMap<User, { value: Value }>();
	return (user) => {
		const { value } = kept.get(user) ?? { value: make(user) };
		kept.set(user, { value });
		return value;
	};
}
