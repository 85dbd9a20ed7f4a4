/** Whose doing it is: a mail that nobody wrote by hand, a delivery that a workflow caused. */
export const origins = `
-- As in its header: auto-replied is the agent's answer, auto-generated a workflow's.
ALTER TABLE emails ADD COLUMN auto_submitted TEXT CHECK (auto_submitted IN ('auto-replied', 'auto-generated'));
ALTER TABLE deliveries ADD COLUMN by_workflow INTEGER NOT NULL DEFAULT 0;
`;
