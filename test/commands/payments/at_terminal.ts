import { join } from 'node:path'
import { openPayctl } from '../../support/terminal.ts'
import type { batchWorld } from './batch_file.ts'

/** Runs `payments batch` of the built payctl in a terminal. */
export const batchAtTerminal = (
  { service, stateDir, folder }: Awaited<ReturnType<typeof batchWorld>>,
  argv: readonly string[],
  columns = 100,
) =>
  openPayctl(['payments', 'batch', ...argv], {
    env: {
      PAYCTL_BASE_URL: service.base_url,
      PAYCTL_TOKEN: service.token,
      PAYCTL_STATE_DIR: stateDir,
      PAYCTL_CONFIG_DIR: join(folder, 'config'),
      NO_COLOR: '1',
    },
    columns,
  })
