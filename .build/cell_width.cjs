// Replaces the string-width of cli-table3, which is five versions old: tables must be padded by the same widths that cut their cells.
const { textWidth } = require('../src/run/cell_lines.ts')

module.exports = textWidth
