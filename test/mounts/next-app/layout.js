export default function Layout({ children }) {
  return (
    <html lang="en">
      <body>
        {children}
        <script async src="/porchlight/widget/loader.js" data-bot-id="juniper" />
      </body>
    </html>
  );
}
