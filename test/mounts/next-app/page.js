export default function Page() {
  return <h1>the site</h1>;
}
