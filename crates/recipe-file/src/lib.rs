//! Recipes as text: a TOML file, or the `recipe.toml` of a folder. A recipe may extend another one.
//!
//! `extends = "../knights-sl"`, relative to the recipe's folder, gives a recipe everything of that one (the base) which it does not say
//! itself: its own keys replace those of the base, table by table, and a list replaces the whole list. A table that chooses a kind
//! (`kind`, or `from` of a value target) and chooses another than the base has replaces the base's table, whose other keys belong to
//! that kind. A base may extend a further recipe.
//!
//! # Examples
//! ```
//! let folder = tempfile::tempdir()?;
//! std::fs::write(folder.path().join("base.toml"), "title = 'Base'\n[training]\nsteps = 100\nbatch = 8")?;
//! std::fs::write(folder.path().join("long.toml"), "extends = 'base.toml'\n[training]\nsteps = 9000")?;
//! let table: toml::Table = recipe_file::read(&folder.path().join("long.toml"))?.parse()?;
//! assert_eq!(table["training"]["steps"].as_integer(), Some(9000));
//! assert_eq!(table["training"]["batch"].as_integer(), Some(8));
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```

mod read;

pub use read::read;
