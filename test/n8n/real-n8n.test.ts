/**
 * All that is tried in a real n8n, in one file because one n8n and one gateway serve all of it.
 * A part alone: `npm run test:n8n -- -t "The trigger"`. Another n8n: `N8N_VERSION=2.8.4 npm run test:n8n`.
 */
import './parts/main-job';
import './parts/trigger';
import './parts/action-node';
import './parts/agent';
import './parts/send-and-wait';
import './parts/questions';
import './parts/data-and-files';
import './parts/media-and-contacts';
import './parts/lines';

// A restart on a busy machine: 20 s to end and two minutes to start.
jest.setTimeout(600_000);
