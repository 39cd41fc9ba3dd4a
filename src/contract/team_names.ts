// Separate from the other names, because every start of payctl loads the files of the other names.

/** Form of a team's name. The names of the team's worlds begin with the team's name and a dot: `payments.shop-7`. */
export const teamNamePattern = '^[a-z0-9][a-z0-9_-]{0,30}$'

/** Form of the name of a team's key. */
export const teamKeyNamePattern = '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$'

/** Name of the emulator's decoy world for requests without access. The name does not occur in URLs. */
export const decoyWorld = '/'
