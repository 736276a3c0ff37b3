//! The facts about a board and its rules, as records hold them.

use gridhunt_puzzle::{Fact, FactInfo, FactValue, PuzzleId};
use serde::de::Error;
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Map;

/// The facts about a board. In JSON, every fact of any puzzle is a field; it is null if it does not apply to the board.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts(pub Vec<Fact>);

/// The facts of all puzzles, in the order of fields, and whether their values are numbers.
fn all_facts() -> impl Iterator<Item = (FactInfo, bool)> {
    let of_puzzle = |puzzle: PuzzleId| puzzle.info().options.iter();
    PuzzleId::all().flat_map(of_puzzle).filter_map(|option| Some((option.fact?, option.is_number)))
}

impl Serialize for Facts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (FactInfo { name, .. }, _) in all_facts() {
            let value = self.0.iter().find(|fact| fact.name == name).map(|fact| &fact.value);
            map.serialize_entry(name, &value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Facts {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let mut fields = Map::deserialize(from)?;
        let mut facts = Vec::new();
        for (FactInfo { name, .. }, _) in all_facts() {
            let value: Option<FactValue> =
                Option::deserialize(fields.remove(name).unwrap_or_default()).map_err(D::Error::custom)?;
            facts.extend(value.map(|value| Fact { name, value }));
        }
        Ok(Self(facts))
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Facts {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Facts".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let mut properties = Map::new();
        let mut required = Vec::new();
        for (FactInfo { name, help }, is_number) in all_facts() {
            let mut schema = match is_number {
                true => Option::<u32>::json_schema(generator),
                false => Option::<String>::json_schema(generator),
            };
            schema.insert("description".to_owned(), help.into());
            properties.insert(name.to_owned(), schema.into());
            required.push(name);
        }
        schemars::json_schema!({ "type": "object", "properties": properties, "required": required })
    }
}
