/// Functions that make HTML pages.
package enum HTML {
    /// Returns a text with escapes, so that the text can be the content of an element or the value
    /// of an attribute.
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

    /// Returns an HTML document with a heading, which is `title`, and the HTML `body`. The document
    /// has no scripts, no styles and no links to other files.
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
