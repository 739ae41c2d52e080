/// HTML pages for people.
package enum HTML {
    /// Returns a text with the escapes that an element or an attribute needs.
    package static func escaped(_ text: String) -> String {
        var result = ""
        for character in text.unicodeScalars {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }

    /// Returns a document without scripts, without styles and without links to other files. `body`
    /// is HTML; it stands under the title.
    package static func page(_ title: String, body: String) -> String {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width">
        <meta name="color-scheme" content="light dark">
        <title>\(escaped(title))</title>
        </head>
        <body>
        <main>
        <h1>\(escaped(title))</h1>
        \(body)
        </main>
        </body>
        </html>

        """
    }
}
