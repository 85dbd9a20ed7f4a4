/** Preloaded into the helper: on SIGUSR2 it collects all garbage, then says so in the file that COLLECTED_FILE names. */
const { writeFileSync } = require('node:fs');
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
process.on('SIGUSR2', () => {
  collect();
  // What finalizers freed is collected by the second time.
  setTimeout(() => {
    collect();
    writeFileSync(process.env.COLLECTED_FILE, JSON.stringify(process.memoryUsage()));
  }, 100);
});
