import { publicFailure, publicReason } from '../forwarding/failures';
import { type IncidentRow } from '../store/tables/alerts';
import {
  type AlertFact,
  type AlertKind,
  type AlertText,
  type AlertValues,
  type Fact,
} from '../wording/facts';
import { type Language } from '../wording/language';
import { say, sayAlert } from '../wording/say';
import { isConditionKind } from './kinds';

/** `alert_incidents.facts`. */
export interface IncidentFacts<Kind extends AlertKind = AlertKind> {
  values: AlertValues[Kind];
  /** How it ended, if not as its kind ends as a rule. */
  over?: Fact;
}

/** What an incident says. */
export interface Subject {
  kind: string;
  /** Null if an earlier version opened it: then `prose` is all there is. */
  facts: IncidentFacts | null;
  /** In English. */
  prose: AlertText;
}

type Prose = Pick<IncidentRow, 'kind' | 'facts' | 'title' | 'text' | 'over' | 'action'>;

export const subjectOf = ({ kind, facts, title, text, over, action }: Prose): Subject => ({
  kind,
  facts: facts === null ? null : (JSON.parse(facts) as IncidentFacts),
  prose: { title, text, over, action },
});

/** As a fact; null if an earlier version opened it, or a later one. */
export const factOf = ({ kind, facts }: Subject): AlertFact | null =>
  facts && isConditionKind(kind) ? ({ kind, values: facts.values } as AlertFact) : null;

export function textOf(language: Language, subject: Subject): AlertText {
  const alert = factOf(subject);
  if (!alert) return subject.prose;
  const text = sayAlert(language, alert);
  const over = subject.facts?.over;
  return over ? { ...text, over: say(language, over) } : text;
}

/** The same for customers, without causes that name hosts of the gateway’s network. */
export function publicSubject(subject: Subject): Subject {
  const alert = factOf(subject);
  if (alert?.kind === 'destination_failing')
    return changed(subject, { ...alert.values, last: publicFailure(alert.values.last) });
  if (alert?.kind === 'destination_paused')
    return changed(subject, { ...alert.values, because: publicReason(alert.values.because) });
  // Earlier versions wrote the cause into the sentence.
  return alert ? subject : { ...subject, prose: { ...subject.prose, text: '' } };
}

function changed(subject: Subject, values: AlertValues[AlertKind]): Subject {
  const said = { ...subject, facts: { ...subject.facts, values } };
  return { ...said, prose: textOf('en', said) };
}
