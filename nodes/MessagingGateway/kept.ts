/**
 * A cache by owner, such as a run: each value is made when it is first needed, and forgotten with its owner.
 * n8n's own record of a run is saved as JSON, and cannot contain a promise.
 */
export function keptFor<User extends object, Value>(make: (user: User) => Value): (user: User) => Value {
	const kept = new WeakMap<User, { value: Value }>();
	return (user) => {
		const { value } = kept.get(user) ?? { value: make(user) };
		kept.set(user, { value });
		return value;
	};
}
