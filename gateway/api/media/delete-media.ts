import { lineNotConfigured, mediaNotFound, methodNotAllowed } from '../../errors';
import { DoneAnswer } from '../http/answer-parts';
import { operation } from '../operation';
import { FORWARDED } from '../refusals';
import { MediaQuery, mediaOf, mediaOwner } from './media-file';

export const deleteMedia = operation('delete /{object_id}', {
  tag: 'Files',
  id: 'deleteMedia',
  scope: 'send',
  rate: 'changes',
  summary: 'Delete a file',
  description: 'Deletes an uploaded or received file.',
  query: MediaQuery,
  answers: { 200: { description: 'The file was deleted.', schema: DoneAnswer } },
  refusals: () => [mediaNotFound(), methodNotAllowed('DELETE', 'GET'), lineNotConfigured(), ...FORWARDED],
  keepsPlatformStatus: true,
  // Checks the kind of object first, because the line's credentials could also delete other objects.
  handler: (deps) => async (request) => {
    const { line } = request;
    const { object_id: id } = request.params as { object_id: string };
    if (deps.lines.byTid(id)?.id === line.id || id === line.wabaId) throw methodNotAllowed('DELETE', 'GET');
    await mediaOf(deps, request, id);
    await deps.cloudApi.deleteMedia(mediaOwner(deps, request), id);
    return { success: true };
  },
});
