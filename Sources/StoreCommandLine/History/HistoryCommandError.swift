/// Why a command could not be done.
package struct HistoryCommandError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
