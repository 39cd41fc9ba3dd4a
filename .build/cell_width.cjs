// Replaces the string-width of cli-table3, which is five versions old: a table is padded by the widths that cut its cells.
const { textWidth } = require('../src/run/cell_lines.ts')

module.exports = textWidth
