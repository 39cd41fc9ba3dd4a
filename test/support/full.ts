/** True in `npm run test:full`: command lines are processes of the built payctl, and every matrix is whole. */
export const full = process.env.PAYCTL_TESTS === 'full'

/** In the quick tests, all items whose index equals `first` modulo `step`; in the full tests, all items. */
export const everyNth = <T>(all: readonly T[], step: number, first = 0): readonly T[] =>
  full ? all : all.filter((_, at) => at % step === first % step)
