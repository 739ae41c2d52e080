/// The reason why a command failed.
package struct HistoryCommandError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
