/** English: an answer’s markdown. */
export const words = {
  image: 'Image',
  taskDone: 'Done',
  taskOpen: 'Not done',
};
