import HTTPTransport
import Wire

/// The page at `/`: every route with what it does, without scripts, styles or anything that is loaded.
struct IndexPage {
    let title: String
    let routes: [Route]

    var html: String {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width">
        <meta name="color-scheme" content="light dark">
        <title>\(HTML.escaped(title))</title>
        </head>
        <body>
        <main>
        <h1>\(HTML.escaped(title))</h1>
        <dl>
        \(routes.map(row).joined(separator: "\n"))
        </dl>
        </main>
        </body>
        </html>

        """
    }

    private func row(_ route: Route) -> String {
        let path = HTML.escaped(route.path.text)
        // What a browser can open by itself.
        let isOpen = route.hasHead && route.path.isLiteral
        let shown = isOpen ? "<a href=\"\(path)\">\(path)</a>" : path
        return "<dt><code>\(route.method.name) \(shown)</code></dt>"
            + "<dd>\(HTML.escaped(route.summary))</dd>"
    }
}
