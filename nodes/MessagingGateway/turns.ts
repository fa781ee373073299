/** Limits how many tasks run at the same time; waiting tasks start in order. */
export class Turns {
	private taken = 0;

	private readonly waiting: Array<() => void> = [];

	constructor(private readonly most: number) {}

	async take<T>(work: () => Promise<T>): Promise<T> {
		if (this.taken === this.most) await new Promise<void>((turn) => this.waiting.push(turn));
		else this.taken++;
		try {
			return await work();
		} finally {
			const next = this.waiting.shift();
			if (next) next();
			else this.taken--;
		}
	}
}
