export const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const

const day = weekdays.join('|')
const minute = '([01]\\d|2[0-3]):[0-5]\\d'

/**
 * A window in Costa Rica's time: `02:00-04:00`, `sun 22:00-23:30`. If its end is not after its begin, it ends on the
 * next day.
 */
export const maintenancePattern = `^((${day})(-(${day}))? )?${minute}-(${minute}|24:00)$`
