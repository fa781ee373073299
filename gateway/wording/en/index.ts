import { type Catalogue } from '../facts';
import { alerts } from './alerts';
import { facts } from './facts';
import { notice } from './notice';

export const en: Catalogue = { alerts, facts, notice, sentences: {} };
