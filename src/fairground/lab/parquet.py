"""Parquet files, where PyArrow is installed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fairground.extras import needs


def pyarrow(module: str) -> Any:
    """A module of PyArrow, or a clear error where it is not installed."""
    from importlib import import_module

    with needs("lab", "a Parquet file"):
        return import_module(f"pyarrow.{module}")


def write_parquet(part: Path, out: Path, columns: Sequence[tuple[str, bool]]) -> None:
    """Rows of text as Parquet; nulls where a cell is empty.

    Columns are pairs: the name, and whether it holds whole numbers.
    """
    csv, parquet, arrow = pyarrow("csv"), pyarrow("parquet"), pyarrow("lib")
    kinds = arrow.schema(
        [(name, arrow.int64() if whole else arrow.string()) for name, whole in columns]
    )
    made = out.with_name(f"{out.name}.made")
    try:
        with (
            csv.open_csv(
                part,
                read_options=csv.ReadOptions(column_names=[name for name, _ in columns]),
                convert_options=csv.ConvertOptions(
                    column_types=kinds, null_values=[""], strings_can_be_null=True
                ),
            ) as reader,
            parquet.ParquetWriter(made, kinds) as writer,
        ):
            for batch in reader:
                writer.write_batch(batch)
        made.replace(out)
    finally:
        made.unlink(missing_ok=True)
