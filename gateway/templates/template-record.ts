import { qualityOf, type Quality } from '../cloud-api/phone-number';
import {
  readComponents,
  templateParts,
  templateStateOf,
  type ButtonRecord,
  type TemplateComponent,
  type TemplateState,
} from '../cloud-api/template';
import { type TemplateRow } from '../store/tables/templates';

/** A template in the words of the templates operation, with what a client needs to build a form for it. */
export interface TemplateRecord {
  id: string | null;
  name: string;
  language: string;
  category: string;
  status: TemplateState;
  platform_status: string | null;
  quality_score: Quality;
  parameter_format: string;
  header: { type: string; text: string | null } | null;
  body: string;
  footer: string | null;
  buttons: ButtonRecord[];
  variables: number;
  variable_names: string[];
  header_variables: string[];
  is_starter: boolean;
  components: TemplateComponent[];
}

/** @param row from the table; when each fact was told does not matter here */
export function templateRecord(row: Omit<TemplateRow, `${string}_at`>): TemplateRecord {
  const components = readComponents(JSON.parse(row.components));
  const parts = templateParts(components);
  return {
    id: row.upstream_id,
    name: row.name,
    language: row.language,
    category: row.category,
    status: stateOf(row),
    platform_status: row.upstream_status,
    quality_score: qualityOf(row.quality_score),
    parameter_format: row.parameter_format,
    header: parts.header,
    body: parts.body,
    footer: parts.footer,
    buttons: parts.buttons,
    variables: parts.bodyVariables.length,
    variable_names: parts.bodyVariables,
    header_variables: parts.headerVariables,
    is_starter: row.is_starter === 1,
    components,
  };
}

/** A platform word that is not known, or none because the platform does not have the template, counts as pending. */
const stateOf = (row: Pick<TemplateRow, 'upstream_status'>): TemplateState =>
  templateStateOf(row.upstream_status ?? '') ?? 'pending';
