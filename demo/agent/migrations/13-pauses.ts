/** Of what was decided, or is over, nothing is kept but that it is. */
export const pauses = `
UPDATE pauses SET record = '{}' WHERE state <> 'waiting';
CREATE INDEX pauses_kept ON pauses (expires_at) WHERE record <> '{}';
`;
