# cmake -DNAMESPACE=cli -DSYMBOL=name -DOUTPUT=file.cpp -DINPUTS=a|b -P embed.cmake: text files, one after the other, as
# `extern const std::string_view ddl::cli::name`.
string(REPLACE "|" ";" files "${INPUTS}")
set(text "")
foreach(file IN LISTS files)
  file(READ "${file}" content)
  string(APPEND text "R\"embedded(${content})embedded\"\n")
endforeach()
file(WRITE "${OUTPUT}" "#include <string_view>\n\nnamespace ddl::${NAMESPACE} {\nextern const std::string_view ${SYMBOL};\n"
                       "const std::string_view ${SYMBOL} =\n${text};\n}  // namespace ddl::${NAMESPACE}\n")
