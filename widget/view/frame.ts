/** Draws at most once in so many milliseconds, on a frame; in a tab that shows no frames, on a timer. */

/** Twenty times a second: growing text shows no difference above that, and each draw costs two frames. */
const betweenMs = 50;
const hiddenMs = 250;

let last = 0;

export function drawOnFrame(draw: () => void): void {
  if (document.hidden) {
    setTimeout(draw, hiddenMs);
    return;
  }
  const run = (now: number) => {
    last = now;
    draw();
  };
  const dueMs = last + betweenMs - performance.now();
  if (dueMs <= 0) requestAnimationFrame(run);
  else setTimeout(() => (document.hidden ? run(performance.now()) : requestAnimationFrame(run)), dueMs);
}
