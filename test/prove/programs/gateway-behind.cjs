/** The gateway with a clock that is `CLOCK_BEHIND` milliseconds behind, so that a proof can cross days. */
const { serve } = require('../../../gateway/build/cli/start');
const { readConfig } = require('../../../gateway/build/config');
const { startGateway, tellListening } = require('../../../gateway/build/start-gateway');
const { createLog } = require('../../../gateway/build/log');

const { CLOCK_BEHIND, ...env } = process.env;

void serve(async (ends) => {
  const config = readConfig(env);
  const log = createLog(config);
  const gateway = await startGateway(config, log, () => Date.now() - Number(CLOCK_BEHIND), true, null, ends);
  tellListening(log, gateway);
  return gateway;
});
