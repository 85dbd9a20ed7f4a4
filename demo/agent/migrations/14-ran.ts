/** What the tools of an answer did that did not come to its end: its own words do not tell. */
export const ran = `
ALTER TABLE messages ADD COLUMN ran TEXT NOT NULL DEFAULT '';
`;
