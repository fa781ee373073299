import { sleep, type IDataObject, type IExecuteFunctions } from 'n8n-workflow';

import type { Item } from '../../item';
import { keptFor } from '../../kept';
import { lineOf, type Line } from '../../line';
import { callGateway, sendTogether, type Posting } from '../../transport';

/** The most messages in one request: docs/api.md, "Many messages". */
const MOST_MESSAGES = 50;
/** Bytes of messages in one request. The gateway and most proxies accept 1 MB. */
const MOST_BYTES = 700 * 1024;

type Waiting = Posting & { resolve(answer: IDataObject): void; reject(reason: Error): void };

/**
 * Sends a run's messages for one line in batches: every message that is ready at the same time shares a
 * request, because n8n opens a connection per request. If the gateway has no batches, each message is sent
 * separately.
 */
class Outbox {
	private waiting: Waiting[] = [];

	private bytes = 0;

	private takesBatches = true;

	constructor(private readonly context: IExecuteFunctions) {}

	async post(posting: Posting): Promise<IDataObject> {
		if (!this.takesBatches) return await this.sendAlone(posting);
		const size = Buffer.byteLength(JSON.stringify(posting.message));
		if (this.bytes + size > MOST_BYTES) this.flush();
		return await new Promise((resolve, reject) => {
			this.waiting.push({ ...posting, resolve, reject });
			this.bytes += size;
			if (this.waiting.length === MOST_MESSAGES) this.flush();
			// By then, every message that is ready now has been added.
			else if (this.waiting.length === 1) void sleep(0).then(() => this.flush());
		});
	}

	private flush(): void {
		const batch = this.waiting.splice(0);
		this.bytes = 0;
		if (batch.length > 0) void this.send(batch);
	}

	private async send(batch: Waiting[]): Promise<void> {
		if (batch.length > 1 && this.takesBatches) {
			const answers = await sendTogether.call(this.context, batch);
			if (answers === 'too large') {
				const half = Math.ceil(batch.length / 2);
				await Promise.all([this.send(batch.slice(0, half)), this.send(batch.slice(half))]);
				return;
			}
			if (answers !== 'unknown') {
				batch.forEach((one, index) => settle(one, answers(index)));
				return;
			}
			this.takesBatches = false;
		}
		for (const one of batch) settle(one, this.sendAlone(one));
	}

	private async sendAlone({ key, message, itemIndex, expected }: Posting): Promise<IDataObject> {
		return await callGateway.call(this.context, {
			method: 'POST',
			path: 'messages',
			headers: { 'Idempotency-Key': key },
			body: message,
			itemIndex,
			expected,
		});
	}
}

const settle = ({ resolve, reject }: Waiting, answer: Promise<IDataObject>): void =>
	void answer.then(resolve, reject);

const outboxesOfRun = keptFor((run: IExecuteFunctions) => keptFor((_line: Line) => new Outbox(run)));

/**
 * Sends one message through the line of its item.
 * @throws NodeApiError with the reason for the refusal
 */
export async function postOne(
	{ context, index }: Item,
	posting: Omit<Posting, 'itemIndex'>,
): Promise<IDataObject> {
	const line = await lineOf.call(context, index);
	return await outboxesOfRun(context)(line).post({ ...posting, itemIndex: index });
}
