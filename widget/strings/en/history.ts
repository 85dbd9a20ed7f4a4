/** English: the list of conversations. */
export const words = {
  noHistory: 'No conversations yet.',
  more: 'Show more',
  removeTitle: 'Delete “{title}”',
  removeSure: 'Delete for good?',
  keep: 'Keep',
  untitled: 'Conversation',
  search: 'Search conversations',
  noneFound: 'No conversation of that name.',
  renameTitle: 'Rename “{title}”',
  title: 'Title',
  save: 'Save',
  myData: 'Your data',
  'rename-failed': 'This conversation was not renamed.',
  'list-failed': 'Your conversations could not be loaded.',
  'delete-failed': 'This conversation was not deleted.',
};
