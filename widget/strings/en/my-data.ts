/** English: taking one's conversations along, and erasing them. */
export const words = {
  saveText: 'Save as text',
  saveJson: 'Save as JSON',
  saved: 'Saved.',
  erase: 'Erase everything',
  eraseSure: 'Erase all conversations for good?',
  erased: 'All your conversations were erased.',
  'export-failed': 'Your conversations could not be saved.',
  'erase-failed': 'Your conversations were not erased.',
};
