import { type Catalogue } from '../facts';
import { alerts } from './alerts';
import { facts } from './facts';
import { notice } from './notice';
import { sentences } from './sentences';

export const es: Catalogue = { alerts, facts, notice, sentences };
