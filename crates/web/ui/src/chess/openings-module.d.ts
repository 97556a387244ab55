/** The table of openings, made by `openings-table.ts` when the page is built. */
declare module 'virtual:openings' {
  const table: string;
  export default table;
}
