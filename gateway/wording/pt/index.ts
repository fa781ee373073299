import { type Catalogue } from '../facts';
import { alerts } from './alerts';
import { facts } from './facts';
import { notice } from './notice';
import { sentences } from './sentences';

export const pt: Catalogue = { alerts, facts, notice, sentences };
