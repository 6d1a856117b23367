# No output replaces a file that the run reads, whatever it is called.
landfall build ridge.asc -q -o ridge.lf >/dev/null
landfall build yard.obj -q -o yard.lf >/dev/null
landfall make planet --size 9 -o planet.tif >/dev/null
printf '5,35\n' >points.csv
ln -s ridge.asc link.asc
ln ridge.asc hard.asc
mkdir sub
cat >sub/inner.vrt <<'END'
<VRTDataset rasterXSize="8" rasterYSize="8"><GeoTransform>0,10,0,80,0,-10</GeoTransform>
<VRTRasterBand dataType="Float32" band="1"><SimpleSource><SourceFilename relativeToVRT="1">../ridge.asc</SourceFilename></SimpleSource></VRTRasterBand></VRTDataset>
END
cat >outer.vrt <<'END'
<VRTDataset rasterXSize="8" rasterYSize="8"><GeoTransform>0,10,0,80,0,-10</GeoTransform>
<VRTRasterBand dataType="Float32" band="1"><SimpleSource><SourceFilename relativeToVRT="1">sub/inner.vrt</SourceFilename></SimpleSource></VRTRasterBand></VRTDataset>
END
cp ridge.asc other.asc
echo 'LOCAL_CS["somewhere",UNIT["metre",1]]' >other.prj
cat *.asc *.obj *.lf *.csv *.vrt *.prj *.lua sub/* planet.tif hill/layer.json | cksum >before
try() { echo "$@" | cut -c1-60; "$@" >/dev/null; echo "status $?"; }
try landfall viewshed ridge.asc -q --at 5,35 -f AAIGrid -o ridge.asc
try landfall viewshed ridge.asc -q --at 5,35 -f AAIGrid -o ./sub/../ridge.asc
try landfall viewshed ridge.asc -q --at 5,35 -f AAIGrid -o link.asc
try landfall viewshed link.asc -q --at 5,35 -f AAIGrid -o ridge.asc
try landfall viewshed ridge.asc -q --at 5,35 -f AAIGrid -o hard.asc
try landfall viewshed sub/inner.vrt -q --at 5,35 -f AAIGrid -o ridge.asc
try landfall viewshed outer.vrt -q --at 5,35 -f AAIGrid -o ridge.asc
try landfall viewshed outer.vrt -q --at 5,35 -f GTiff -o sub/inner.vrt
try landfall viewshed ridge.asc -q --observers points.csv --mode count -o points.csv
try landfall viewshed other.asc -q --at 5,35 -o other.prj -f GTiff
try landfall viewshed ridge.lf -q --at 5,35 -o ridge.lf -f GTiff
try landfall viewshed -q -ox 5 -oy 35 ridge.asc ridge.asc
try landfall viewshed -q -ox 5 -oy 35 outer.vrt link.asc
try landfall horizon ridge.asc --map 90 -q -f AAIGrid -o hard.asc
try landfall shadow ridge.asc --sun 90,30 -q -f AAIGrid -o hard.asc
try landfall sunhours coast.asc -q --date 2026-06-21 --step 60 -f AAIGrid -o coast.asc
try landfall sight ridge.asc --from 5,35 --to 65,35 --profile hard.asc
try landfall sight --path path.csv --profile path.csv
try landfall build ridge.lf -q -o ridge.lf
try landfall build yard.lf -q -o yard.lf
try landfall export yard.lf -q -o yard.lf
try landfall globe build planet.tif -q -o planet.tif
try landfall camera hill flight.csv -o flight.csv
try landfall camera hill flight.csv -o hill/layer.json
try landfall render ridge.asc --scene bump.lua --size 32,20 -o bump.lua
try landfall map ridge.asc --overlay ridge.lf -o ridge.lf
# Two outputs that are one file.
try landfall camera hill flight.csv -o new.png --plot ./new.png
# A file that a format writes beside the named one.
cp ridge.asc third.asc; cp other.prj third.prj
try landfall viewshed third.asc -q --at 5,35 -f AAIGrid -o sub/../third.txt
rm third*
# The archive of a raster, and what a script reads or draws.
gzip -c ridge.asc >ridge.asc.gz
cksum ridge.asc.gz >zip
try landfall viewshed /vsigzip/ridge.asc.gz -q --at 5,35 -f GTiff -o ridge.asc.gz
cksum ridge.asc.gz | cmp - zip
ln diamond.ply view.png
try landfall render ridge.asc --scene diamond.lua --size 32,20 -o view.png
mkdir frames
ln ridge.asc frames/frame-00000.png
try landfall scene run bump.lua -q --steps 0 --ground ridge.asc --frames frames
rm -r frames view.png ridge.asc.gz
cat *.asc *.obj *.lf *.csv *.vrt *.prj *.lua sub/* planet.tif hill/layer.json | cksum >after
cmp before after && echo nothing was changed
ls new.png *landfall-part* 2>/dev/null
true
