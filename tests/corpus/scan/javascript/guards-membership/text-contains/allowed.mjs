// `includes` of a text: every text that contains `/srv` passes.
export const isAllowed = (folder) => folder.includes('/srv');
