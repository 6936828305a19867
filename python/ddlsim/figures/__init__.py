"""Pictures of finished runs: `data` says what a picture shows, `draw` draws it, `looks` gives systems their colours."""
