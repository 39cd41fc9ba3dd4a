/** The emulator's worlds begin here, whatever the day; the documentation's times are this day's too. */
const moment = Date.UTC(2026, 0, 5, 18)

/** Does `work` while the machine's time stands still, at the same moment every time. */
export async function inStillTime<T>(work: () => Promise<T>): Promise<T> {
  const { now } = Date
  Date.now = () => moment
  try {
    return await work()
  } finally {
    Date.now = now
  }
}
