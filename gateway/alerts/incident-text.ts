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

/** The content of `alert_incidents.facts`. */
export interface IncidentFacts<Kind extends AlertKind = AlertKind> {
  values: AlertValues[Kind];
  /** The only customer of the business account that it concerns; undefined for all. */
  customerId?: number;
  /** How the incident ended, if not with the usual text of its kind. */
  over?: Fact;
}

/** The content of an incident. */
export interface Subject {
  kind: string;
  /** Null if an earlier version opened the incident, which then only has `prose`. */
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

/** The incident as a fact; null if an earlier or later version opened it. */
export const factOf = ({ kind, facts }: Subject): AlertFact | null =>
  facts && isConditionKind(kind) ? ({ kind, values: facts.values } as AlertFact) : null;

export function textOf(language: Language, subject: Subject): AlertText {
  const alert = factOf(subject);
  if (!alert) return subject.prose;
  const text = sayAlert(language, alert);
  const over = subject.facts?.over;
  return over ? { ...text, over: say(language, over) } : text;
}

/** The incident as customers see it, without causes that name hosts in the gateway's network. */
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
