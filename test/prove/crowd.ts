import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type Stage } from './proof';

export type Manner = 'takes' | 'refuses' | 'hangs';

export interface Told {
  /** Requests so far, at all receivers. */
  came: number;
  /** The most simultaneous requests at one receiver. */
  mostOpen: number;
  /** Receivers with requests that wait for an answer. */
  withOpen: number;
}

/** Many receivers with the same behaviour, in another process so that their cost is not measured. */
export interface Crowd {
  urls: string[];
  ask(): Promise<Told>;
  /** Changes the behaviour. */
  become(manner: Manner): Promise<Told>;
}

export async function startCrowd(stage: Pick<Stage, 'atEnd'>, count: number, manner: Manner): Promise<Crowd> {
  const program = fork(join(__dirname, 'programs/crowd.ts'), [String(count), manner], {
    execArgv: [...process.execArgv, '--disable-warning=MODULE_TYPELESS_PACKAGE_JSON'],
  });
  stage.atEnd(() => program.kill('SIGKILL'));
  const [ports] = (await once(program, 'message')) as [number[]];
  const send = async (message: { manner?: Manner }): Promise<Told> => {
    program.send(message);
    const [told] = (await once(program, 'message')) as [Told];
    return told;
  };
  return {
    urls: ports.map((port) => `http://127.0.0.1:${port}/hook`),
    ask: () => send({}),
    become: (next) => send({ manner: next }),
  };
}
